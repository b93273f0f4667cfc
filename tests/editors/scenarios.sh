# Runs scenarios in an editor, and ends with what failed. Sourced by the scripts beside it.

# run_scenarios LOGS COMMAND SCENARIO ..: each scenario by `COMMAND SCENARIO`.
#
# A browser or an editor that has too little of the machine may give way just as it is asked. So a scenario that fails runs
# again, from nothing, twice at most; one that passes then is named as unsteady, one that fails three times fails the run.
# What failed stands at the end, where the last lines of a long log are looked at first.
run_scenarios() {
    local logs=$1 command=$2 scenario log failed=() unsteady=()
    shift 2
    mkdir -p "$logs"
    for scenario in "$@"; do
        log=$logs/$(basename "$(dirname "$scenario")")-$(basename "$scenario").log
        rm -f "$log.first"
        for try in first second third; do
            echo "== $scenario ($try time)"
            if "$command" "$scenario" 2>&1 | tee "$log"; then
                [ "$try" = first ] || unsteady+=("$log")
                continue 2
            fi
            [ -e "$log.first" ] || cp "$log" "$log.first"
        done
        failed+=("$log")
    done
    for log in ${unsteady[@]+"${unsteady[@]}"}; do
        echo "UNSTEADY: $(basename "$log" .log) passed another time only; the first time:"
        sed 's/^/    /' "$log.first"
    done
    for log in ${failed[@]+"${failed[@]}"}; do
        echo "FAILED: $(basename "$log" .log), three times; the last time:"
        sed 's/^/    /' "$log"
    done
    [ ${#failed[@]} -eq 0 ]
}
