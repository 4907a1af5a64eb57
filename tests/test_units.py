import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ourmodels_gui import units
from ourmodels_gui.units import Separators

GERMAN = Separators(group=".", point=",")


def test_examples_in_the_docstrings_hold():
    assert doctest.testmod(units).failed == 0


@pytest.mark.parametrize(
    "value, text",
    [
        (7.53, "7.5"),
        (99.94, "99.9"),
        (99.95, "100"),
        (9999.4, "9,999"),
        (9999.5, "10.0k"),
        (999_949, "999.9k"),
        (999_960, "1.0M"),
        (0.0, "0.0"),
    ],
)
def test_rates_change_style_at_the_rounded_figure(value, text):
    assert units.rate(value) == text


def test_separators_follow_the_locale():
    assert units.rate(1008.0, GERMAN) == "1.008"
    assert units.number(1234567.25, 2, GERMAN) == "1.234.567,25"
    assert units.size(25.77e9, GERMAN) == "25,8 GB"


@given(st.integers(0, 2**31))
def test_a_token_count_is_read_back_as_it_was_shown(count):
    assert units.parse_tokens(units.tokens(count)) == count
    assert units.parse_tokens(units.tokens(count, GERMAN), GERMAN) == count


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_exact_loses_nothing(value):
    assert float(units.exact(value)) == value


@given(st.floats(-1e15, 1e15))
def test_no_figure_reads_minus_zero(value):
    shown = units.number(value, 1)
    assert not (shown.startswith("-") and float(shown.replace(",", "")) == 0)


@pytest.mark.parametrize(
    "text",
    ["", "  ", "k", "12,4", "1.2.3", "nan", "inf", "--3", "1,00,000", "٣", "1e", "12 parsecs"],
)
def test_what_is_not_a_count_is_refused_with_words(text):
    with pytest.raises(ValueError, match=r"not a|whole number"):
        units.parse_tokens(text)


def test_a_fraction_of_a_token_is_refused():
    with pytest.raises(ValueError, match="whole number of tokens"):
        units.parse_tokens("1.5")


def test_gb_and_gib_are_never_mixed():
    assert units.parse_size("24 GB") == 24e9
    assert units.parse_size("24 GiB") == 24 * 2**30
    assert units.parse_size("24", "GiB") == 24 * 2**30
    with pytest.raises(ValueError, match="GB or GiB"):
        units.parse_size("24 Gb/s")


def test_a_figure_with_an_unexpected_unit_is_refused():
    with pytest.raises(ValueError, match="figure alone"):
        units.parse_number("20 tok/s")


@pytest.mark.parametrize("parse", [units.parse_tokens, units.parse_number, units.parse_size])
def test_what_no_number_here_can_be_is_refused(parse):
    with pytest.raises(ValueError, match="larger than any number"):
        parse("1e999")


def test_a_whole_number_that_cannot_be_told_from_the_next_is_refused():
    with pytest.raises(ValueError, match="larger than any number"):
        units.parse_tokens("10000000000000000000")
