"""Text classification pipelines of transformers."""

from skrobust.wrappers.model_sources import FunctionSource


class PipelineSource(FunctionSource):
    """Pipeline of transformers that classifies texts.

    Parameters
    ----------
    model : transformers.Pipeline
        Of the task ``"text-classification"``.
    """

    kind = "text pipeline"
    batch_size = 32

    def __init__(self, model):
        super().__init__(model)
        kinds = {kind.__name__ for kind in type(model).__mro__}
        if "TextClassificationPipeline" not in kinds:
            raise ValueError(
                "skrobust.wrap takes pipelines of the task 'text-classification', and "
                f"this is a {type(model).__name__}. Wrap a function that calls it and "
                "returns labels."
            )
        config = model.model.config
        places = sorted(config.id2label)
        self.names = [config.id2label[place] for place in places]
        if config.num_labels == 1:
            self.names, self.response = None, "values"
        else:
            self.response = "probabilities"

    def __call__(self, rows):
        """Return the scores of all classes for a batch of texts."""
        answers = self.model([str(text) for text in rows], top_k=None)
        if self.response == "values":
            return [row[0]["score"] for row in answers]
        return answers
