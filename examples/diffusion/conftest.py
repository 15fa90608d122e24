import pytest

pytest.register_assert_rewrite("compile_tests")  # its asserts say why they fail, as those of test modules do
