# The tools as programs without libraries (musl), beside a small shell, since names such as 'ark:gunzip -c x.ark.gz |' are
# commands. The image has about 190 MB. Programs that need the system's C library are up to twice as fast: musl gives memory
# back to the system, and has to fetch it again.
#
#     docker build -t kaldi-tables .
#     docker run --rm -v "$PWD:/data" -w /data kaldi-tables copy-feats scp:feats.scp ark,t:-
FROM rust:1-alpine AS build
RUN apk add --no-cache bash musl-dev
WORKDIR /source
COPY . .
RUN scripts/install /tools && rm -rf /tools/share

FROM busybox:musl
COPY --from=build /tools/bin /usr/local/bin
# For https.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
CMD ["kaldi-tables"]
