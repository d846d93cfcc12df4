#!/usr/bin/env bash
# A Slurm of two nodes on this machine: start_slurm.sh FOLDER, and stop_slurm.sh FOLDER ends it. All its
# files are in FOLDER, but for links to its configuration in /etc/slurm. Needs root; installs Debian's
# packages where they are not there. Ends 77, and says why, where it can't start.
set -euo pipefail
folder=$(realpath -m "$1")
packages=(munge slurmctld slurmd slurm-client)

cannot() {
    echo "no Slurm here: $1" >&2
    exit 77
}

# Slurm's daemons change their user, and start jobs as the users who sent them.
[ "$(id -u)" = 0 ] || cannot "its daemons need root"
# A variable could name another place, but Snakemake's plugin takes it from the jobs.
# A link that an interrupted test has left leads to no daemon.
if [ -e /etc/slurm/slurm.conf ]; then
    [ -L /etc/slurm/slurm.conf ] && ! scontrol ping | grep -q " is UP" \
        || cannot "/etc/slurm/slurm.conf is there: this machine has one"
fi
if ! command -v munged slurmctld slurmd sbatch > "/dev/null"; then
    command -v apt-get > "/dev/null" || cannot "install ${packages[*]}; there is no apt-get"
    install="apt-get install --yes --quiet --no-install-recommends ${packages[*]}"
    export DEBIAN_FRONTEND=noninteractive
    { timeout 60 $install || { timeout 60 apt-get update && timeout 60 $install; }; } 1>&2 \
        || cannot "apt-get could not install ${packages[*]}"
fi

mkdir -p "$folder"/{state,spool}
chmod 755 "$folder"
ports=($(python3 -c 'import socket
sockets = [socket.create_server(("", 0)) for _ in range(3)]
print(*(s.getsockname()[1] for s in sockets))'))
host=$(hostname -s)
cpus=$(nproc)
memory=$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)

# Each node claims all of the machine. Its GPUs are empty files: asking for them can be tested, and
# which of them a job was given, but not using them.
touch "$folder"/gpu{0,1}
cat > "$folder/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=2,batch_sched_delay=0
GresTypes=gpu
MpiDefault=none
ReturnToService=2
MinJobAge=300
KillWait=10
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=$cpus RealMemory=$memory Gres=gpu:2
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=$cpus RealMemory=$memory Gres=gpu:2
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE DefMemPerCPU=256
CONF
echo "Name=gpu File=$folder/gpu[0-1] Flags=nvidia_gpu_env" > "$folder/gres.conf"

dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
chmod 400 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --seed-file="$folder/munge.seed" --log-file="$folder/munged.log" \
    || cannot "munged did not start; see $folder/munged.log"
mkdir -p /etc/slurm
ln -sfn "$folder"/{slurm,gres}.conf /etc/slurm/
slurmctld || cannot "slurmctld did not start; see $folder/slurmctld.log"
for node in one two; do
    slurmd -N "$node" || cannot "slurmd did not start; see $folder/slurmd-$node.log"
done
for _ in $(seq 100); do
    if [ "$(sinfo --noheader --format=%T --states=idle | wc -l)" = 1 ] \
        && [ "$(sinfo --noheader --format=%D --states=idle)" = 2 ]; then
        exit 0
    fi
    sleep 0.2
done
cannot "its nodes are not idle after 20 s: $(sinfo --noheader); see $folder"
