"""Validates the requests of the catalogue of services against what the services publish."""
