"""The pytest plugin: options, fixtures, selection, and what becomes of a case. It calls the layers below."""
