"""A report as one offline HTML file: the data is embedded as JSON and rendered by the scripts in this folder.

linked_lines: links between the texts of a case: the user's lines, nodes, groups and kernel lines, on both sides
page: the HTML file: the template filled with style, scripts and data
pictures: graphs and fusion groups as boxes and arrows, parsed from a stage's text; boxes on only one side are marked
"""
