"""A CSV file with numbers, categories and missing values."""

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import tabular

# Stands for your file: 442 patients, with a text column and gaps.
table = load_diabetes(as_frame=True, scaled=False)
patients = table.data.assign(progresses=table.target > 140)
patients["sex"] = patients["sex"].map({1: "female", 2: "male"})
patients["bp"] = patients["bp"].mask(patients.index % 20 == 0)
patients.to_csv("patients.csv", index=False)

# The model: trained by you.
rows = pd.read_csv("patients.csv")
X_train, X_test, y_train, y_test = train_test_split(
    rows.drop(columns="progresses"), rows["progresses"], test_size=0.5, random_state=0
)
text = make_column_selector(dtype_exclude="number")
columns = make_column_transformer(
    (OneHotEncoder(handle_unknown="ignore"), text),
    remainder=make_pipeline(SimpleImputer(), StandardScaler()),
)
model = make_pipeline(columns, LogisticRegression()).fit(X_train, y_train)

# From the model to a decision.
conditions = tabular(random_state=0)
results = evaluate_perturbations(model, X_test, y_test, conditions, X_ref=X_train)
print(results)
safe = results.worst_interval.low > 0.6
print("deploy" if safe else f"repair: {results.worst_condition}")
