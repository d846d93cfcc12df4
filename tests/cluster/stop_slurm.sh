#!/usr/bin/env bash
# End the Slurm that start_slurm.sh FOLDER has started, with the jobs it runs.
folder=$(realpath -m "$1")
[ "$(readlink /etc/slurm/slurm.conf)" = "$folder/slurm.conf" ] || exit 0
scancel --full --user root
for _ in $(seq 50); do
    [ -z "$(squeue --noheader)" ] && break
    sleep 0.1
done
cat "$folder"/{slurmctld,slurmd-one,slurmd-two,munged}.pid 2> /dev/null | xargs --no-run-if-empty kill
rm -f /etc/slurm/{slurm,gres}.conf
