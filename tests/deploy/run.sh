#!/usr/bin/env bash
# Deploys infra/template.yaml to an AWS emulator on this machine (ministack) and calls it through its API Gateway.
#
#   tests/deploy/run.sh             builds the functions for this machine first, as they are deployed
#   tests/deploy/run.sh --dev       builds them with the dev profile, which takes less time
#   tests/deploy/run.sh --no-build  uses the existing target/lambda/*/bootstrap.zip
#
# With TEMPLATE, it deploys that template once, unchecked; mutations.py does so.
#
# Needs Rust, and Python with: pip install aws-sam-cli cfn-lint 'ministack[full]'
#
# Not tested, because ministack does not implement them: GatewayResponses, throttling, IAM policies, logs of functions, the rules
# of the firewall, requests to the domain, reserved concurrency, and warm starts (each call is a new process). It has few of the
# metrics of AWS: alarms.py writes those of an incident for each alarm, and no widget shows a value. It expands the template with the default values of
# parameters, so functions are never traced.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 2; }

for tool in cargo curl python3 sam cfn-lint; do
    command -v "$tool" >/dev/null || die "$tool is missing; the top of $0 lists what to install"
done
python3 -c 'import boto3, cryptography, ministack' || die "python3 lacks ministack or its extras; the top of $0 lists what to install"

case $(uname -m) in
    x86_64) architecture=x86_64 ;;
    aarch64 | arm64) architecture=arm64 ;;
    *) die "Lambda does not support $(uname -m)" ;;
esac

work=$(mktemp -d)
ministack=
clean_up() {
    if [[ -n $ministack ]]; then
        # It has its own process group: the functions that it started are killed with it.
        kill -TERM -- "-$ministack" 2>/dev/null || true
        for _ in {1..50}; do kill -0 -- "-$ministack" 2>/dev/null || break; sleep 0.1; done
        kill -KILL -- "-$ministack" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port)
issuer_port=$(free_port)

# A real AWS account of the user of this script must never be reached.
unset AWS_PROFILE AWS_SESSION_TOKEN "${!AWS_ENDPOINT_URL_@}"
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1
export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_EC2_METADATA_DISABLED=true
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
export SAM_CLI_TELEMETRY=0 NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost

functions=$(cd functions && printf '%s\n' *)

if [[ ${1:-} != --no-build ]]; then
    say "building $(wc -w <<<"$functions") functions"
    started=$SECONDS
    if [[ ${1:-} == --dev ]]; then
        cargo build --locked --workspace --bins
        built=${CARGO_TARGET_DIR:-target}/debug
    else
        # With an explicit target, cargo does not write to target/lambda, which is the folder of the zip files.
        target=$(rustc -vV | sed -n 's/^host: //p')
        # A dependency may have the name of a function.
        version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
        # shellcheck disable=SC2046 # one option per function
        cargo build --locked --profile lambda --target "$target" $(printf -- "-p %s@$version " $functions)
        built=${CARGO_TARGET_DIR:-target}/$target/lambda
    fi
    for function in $functions; do
        # Lambda limits the size of a function, and debug information exceeds the limit.
        strip -o "$work/bootstrap" "$built/$function"
        printf '%-16s %5d kB\n' "$function" $(($(wc -c <"$work/bootstrap") / 1000))
        mkdir -p "target/lambda/$function"
        python3 -m zipfile -c "target/lambda/$function/bootstrap.zip" "$work/bootstrap"
    done
    say "built in $((SECONDS - started)) s"
fi

build=(timeout 300 sam build)
deploy=(timeout 600 sam deploy --config-file "$work/samconfig.toml" --no-confirm-changeset --no-progressbar)
update=("${deploy[@]}" --config-env prod --stack-name atelier-dev)
if [[ ${TEMPLATE:-} ]]; then
    build+=(--template "$TEMPLATE" --build-dir "$work/build")
    deploy+=(--template "$work/build/template.yaml")
    update=()
else
    say "checking the template"
    python3 tests/deploy/template_test.py
    timeout 300 sam validate --lint
fi
# The environments of samconfig.toml, with the parameters of this machine. The second deployment also has optional parts.
machine="\"Architecture=$architecture\", \"AuthIssuer=http://127.0.0.1:$issuer_port\", \"AuthJwksUrl=http://127.0.0.1:$issuer_port/jwks.json\","
options='"DomainName=api.example.test", "CertificateArn=arn:aws:acm:us-east-1:000000000000:certificate/test",'
options+=' "AlarmTopic=arn:aws:sns:us-east-1:000000000000:alarms", "RunWorkerConcurrency=50",'
sed -e "/^parameter_overrides = \[/a $machine" -e "/\"DeletionProtection=yes\"/i $options" samconfig.toml >"$work/samconfig.toml"
"${build[@]}" >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; die "sam build failed"; }

say "starting ministack"
mkdir "$work/tmp"
TMPDIR=$work/tmp S3_DATA_DIR=$work/s3 STATE_DIR=$work/state PERSIST_STATE=0 \
    BIND_HOST=127.0.0.1 GATEWAY_PORT=$port LAMBDA_EXECUTOR=local \
    setsid python3 tests/deploy/emulator.py >"$work/ministack.log" 2>&1 &
ministack=$!
for _ in {1..300}; do
    curl -fsS -m 2 -o /dev/null "$AWS_ENDPOINT_URL/_ministack/health" 2>/dev/null && break
    kill -0 "$ministack" 2>/dev/null || { cat "$work/ministack.log" >&2; die "ministack did not start"; }
    sleep 0.1
done

say "deploying"
started=$SECONDS
if ! "${deploy[@]}" >"$work/deploy.log" 2>&1; then
    cat "$work/deploy.log" >&2
    grep -E 'WARN|ERROR' "$work/ministack.log" | tail -20 >&2 || true
    die "sam deploy failed"
fi
say "deployed in $((SECONDS - started)) s"

started=$SECONDS
failed=0
timeout 1200 python3 tests/deploy/flow.py atelier-dev "$port" "$issuer_port" "${update[@]}" || failed=$?
if ((failed)); then
    say "log of ministack"
    grep -E 'WARN|ERROR|stderr' "$work/ministack.log" | tail -20 >&2 || true
fi
say "checks took $((SECONDS - started)) s"
exit "$failed"
