# Builds kogge and runs all of its tests, with packages from Debian's and Rust's registries only. The resulting image
# contains only the program, for the CPU and for GPUs whose drivers the host provides.
#
#     docker build --tag kogge .
#     docker run --rm kogge perft 7
#     docker run --rm --gpus all kogge devices          NVIDIA, with its container toolkit
#
# `--target build` stops before the tests.

FROM docker.io/library/rust:1.95-bookworm AS build
WORKDIR /kogge
COPY . .
RUN cargo build --locked --profile dist --package kogge-cli --features full

FROM build AS test
# Installs the software GPU devices and the database server that the tests need.
RUN cargo xtask test

# The program comes from the test stage, so no image is made without the tests.
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ocl-icd-libopencl1 libvulkan1 \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd
COPY --from=test /kogge/target/dist/kogge /usr/local/bin/kogge
# NVIDIA's toolkit mounts drivers of these kinds into the container.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics
ENTRYPOINT ["kogge"]
