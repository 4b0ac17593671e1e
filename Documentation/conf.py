# SPDX-License-Identifier: MIT
"""How Sphinx builds these pages. scripts/lib/build-docs adds those of the headers."""

project = 'Open Gaudi'
root_doc = 'index'
highlight_language = 'none'
smartquotes = False
# What the kernel's annotations look like to a C parser.
c_id_attributes = ['__user', '__iomem']
html_theme = 'alabaster'
html_theme_options = {'page_width': '75em'}
html_copy_source = False
