#!/bin/sh
# Proposes another model, once.
case $2 in
    *user_rejected*) echo 'the model stays' ;;
    *) printf '{"type": "success", "content": "the model is %s", "config": {"assistant": {"model": {"id": "%s"}}}}' "$1" "$1" ;;
esac
