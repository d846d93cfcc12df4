from bench.environment import environment, machine


def test_variables_that_steer_a_run_are_recorded_and_secrets_are_not():
    given = {
        "OMP_NUM_THREADS": "1",
        "NCCL_DEBUG": "INFO",
        "TF_VAR_db_password": "hunter2",
        "TF_TOKEN_app": "hunter2",
        "SLURM_JWT": "hunter2",
        "CUDA_HOME_SECRET": "hunter2",
        "HOME": "/root",
    }
    recorded = environment(given)["variables"]
    assert recorded == {"OMP_NUM_THREADS": "1", "NCCL_DEBUG": "INFO"}


def test_a_machine_is_named_by_what_computes():
    known = {"cores": 2, "cpu": "AMD EPYC", "gpus": [{"name": "NVIDIA H200"}]}
    assert machine(known, "cpu") == "2 x AMD EPYC"
    assert machine(known, "cuda") == "NVIDIA H200"
