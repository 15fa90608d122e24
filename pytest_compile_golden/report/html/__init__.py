"""A report as one offline HTML file: the data is embedded as JSON and rendered by the scripts in this folder."""
