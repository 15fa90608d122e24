"""A report as one offline HTML file: the data is embedded as JSON, drawn by the scripts beside this file."""
