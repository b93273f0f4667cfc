#!/bin/sh
# Adds a line to `notes.txt`.
printf '%s\n' "$1" >> notes.txt && echo 'noted'
