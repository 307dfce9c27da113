"""The course as a site: pages, generated tables, links, assets, offline promise, report."""
