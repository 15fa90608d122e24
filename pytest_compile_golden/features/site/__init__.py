"""Static pages from many recordings: what changed from each to the next, and every case's metrics over time.

site_command: `compile-golden site RECORDINGS… --into DIR`: static pages of what changed between recordings
site_history: what a site knows about its recordings, kept beside its pages: adding a recording takes one comparison
site_pages: the files of a site, generated from its history alone: pages
"""
