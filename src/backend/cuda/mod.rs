//! CUDA C++ text, NVRTC, the driver.
