from bench.environment import ROOT, code, environment, machine


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


def test_a_file_outside_the_repository_is_of_no_commit_and_the_others_are(tmp_path):
    own = tmp_path / "own.py"
    own.write_text("")
    assert code([str(own)]) == code(["README.md"]) | {"dirty": True}
    assert code(["README.md"]) == code([str(ROOT / "README.md")])
