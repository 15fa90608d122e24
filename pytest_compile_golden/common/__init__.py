"""What every layer may use: lines, names, versions, files, and words that all share."""
