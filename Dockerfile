# Runs all tests of kogge and makes an image from a static program for the CPU, with packages from Debian's and Rust's registries only. The
# image contains nothing but the program, its licences, and the certificates for PostgreSQL servers: 12 MB.
#
#     docker build --tag kogge .
#     docker run --rm kogge perft 7
#     docker run --rm --volume "$PWD:/data" kogge run 6 --ledger six.ledger
#
# The image `gpu` also contains Debian and the loaders of OpenCL and Vulkan, for GPUs whose drivers the host provides:
#
#     docker build --target gpu --tag kogge:gpu .
#     docker run --rm --gpus all kogge:gpu devices          NVIDIA, with its container toolkit

FROM docker.io/library/rust:1.95-bookworm AS test
WORKDIR /kogge
COPY . .
# Installs the software GPU devices and the database server that the tests need.
RUN cargo xtask test

# The programs come from the test stage, so no image is made without the tests.
FROM test AS build-gpu
RUN cargo build --locked --profile dist --package kogge-cli --features full

FROM docker.io/library/debian:bookworm-slim AS gpu
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ocl-icd-libopencl1 libvulkan1 \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd
COPY --from=build-gpu /kogge/target/dist/kogge /usr/local/bin/kogge
# NVIDIA's toolkit mounts drivers of these kinds into the container.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics
ENTRYPOINT ["kogge"]

FROM test AS build-static
# Installs the C compiler for musl.
RUN cargo xtask dist --target "$(uname -m)-unknown-linux-musl" \
    && mkdir /image && cd target/dist/archives/kogge-*-musl && cp kogge LICENSE-APACHE LICENSE-MIT THIRD-PARTY.txt /image

FROM scratch
COPY --from=build-static /image /
COPY --from=build-static /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
WORKDIR /data
ENTRYPOINT ["/kogge"]
