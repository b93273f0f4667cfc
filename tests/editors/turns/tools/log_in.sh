#!/bin/sh
# Asks for a token, and says whether it is the right one; a secret comes on standard input alone.
input=$(cat)
case $input in
    *'"answers":{}'*) echo '{"type": "needs_input", "question": {"id": "token", "text": "Which token?", "answer_type": {"type": "secret"}}}' ;;
    *'"token":"tr0ub4dor"'*) echo 'logged in' ;;
    *) echo '{"type": "error", "message": "the token is wrong", "trace": [], "transient": false}' ;;
esac
