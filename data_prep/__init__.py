"""Download, verify, convert and read the datasets: one file per dataset, one records format.

`python -m data_prep DATASET FOLDER` makes a records folder that
`data_prep.records.open_records` reads.
`data_prep.epoch_plan` and `data_prep.augment` say which samples a run sees, in which order, and how
they are cropped and flipped, for every system alike.
"""
