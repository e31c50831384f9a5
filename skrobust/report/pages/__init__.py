"""Parts of the written report: page, Markdown and charts."""
