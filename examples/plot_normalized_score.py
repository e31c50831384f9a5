"""What are the factors of a normalized score?
===========================================

The same accuracy is less informative on few rows with many features than on many rows.
The normalized score corrects it by three factors.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from skrobust.plots import NormalizedScoreDisplay

X, y = load_wine(return_X_y=True)
y_pred = cross_val_predict(DecisionTreeClassifier(random_state=0), X, y, cv=5)
display = NormalizedScoreDisplay.from_predictions(
    y, y_pred, task="classification", n_features=X.shape[1], n_samples=len(X)
)
print(display.frame().round(3).to_string(index=False))
display.plot()
plt.show()
