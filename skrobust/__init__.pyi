from skrobust import attacks as attacks
from skrobust import base as base
from skrobust import certificates as certificates
from skrobust import datasets as datasets
from skrobust import evaluation as evaluation
from skrobust import metrics as metrics
from skrobust import nets as nets
from skrobust import perturbations as perturbations
from skrobust import plots as plots
from skrobust import report as report
from skrobust import sampling as sampling
from skrobust import studies as studies
from skrobust import testing as testing
from skrobust import wrappers as wrappers
from skrobust.wrappers import wrap as wrap

__version__: str
