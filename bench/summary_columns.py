"""The columns of summary.csv, which its readers need without what makes it."""

from bench import record
from bench.metrics import RULES

SPEC_COLUMNS = (
    "system,model,model_source,dataset,device_type,devices,nodes,learners,batch,seed,repeat,variant,"
    "alpha,mu,momentum,tau,batch_norm,weight_decay,lr,schedule,epochs,augmentation,precision,"
    "compile,channels_last,graph,unroll,cudnn_benchmark,method,target"
).split(",")
SUMMARY_COLUMNS = [
    "run",
    *SPEC_COLUMNS,
    *"status,reason,epochs_run,learners_final,final_acc,best_acc,final_loss".split(","),
    *"images_per_s,train_s,wall_s".split(","),
    *record.MEMORY,
    *record.EXCHANGE,
    *"energy_j,joules_per_image".split(","),
    *(f"{rule}_{unit}" for rule in RULES for unit in ("epochs", "s")),
    *"machine,commit,dirty".split(","),
]


def short_commit(commit: str) -> str:
    """A commit in the seven letters that older summaries have of it, to compare and to show."""
    return commit[:7]
