"""Commands of ``skrobust``, one file each."""
