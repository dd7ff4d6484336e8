"""Nets that play, without torch: read from ONNX, checked, run inside compiled code or by ONNX Runtime."""
