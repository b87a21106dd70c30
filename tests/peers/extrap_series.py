#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Series over ranks, and the model that Extra-P 4.2.5 makes of each: writes tests/golden/predict/extrap.json.

    tests/peers/extrap_series.py OUT.json

Needs the Python package extrap. Each series is c0 + c1 p^i log2(p)^j at 6 to 8 numbers of ranks, a third of them each without noise, with
1 % and with 5 % of noise. The test common.predict.scale_model asks which term we choose.
"""
import json
import random
import sys

from extrap.entities.coordinate import Coordinate
from extrap.entities.measurement import Measurement
from extrap.entities.functions import ConstantFunction
from extrap.modelers.single_parameter.basic import SingleParameterModeler

TERMS = [(0, 1), (0, 2), (0.25, 0), (1 / 3, 0), (0.5, 0), (0.5, 1), (2 / 3, 0), (1, 0), (1, 1), (1.5, 0), (2, 0), (2, 1), (3, 0)]


def log2(value):
    return value.bit_length() - 1


def make_series(chance, number):
    ranks = [1 << power for power in range(1, 7 + number % 3)]
    power, log_power = chance.choice(TERMS)
    constant, coefficient = chance.uniform(1, 100), chance.uniform(0.1, 10)
    noise = (0, 0.01, 0.05)[number % 3]
    values = [(constant + coefficient * p ** power * log2(p) ** log_power) * (1 + noise * chance.gauss(0, 1)) for p in ranks]
    return {"noise": noise, "ranks": ranks, "values": values}


def model_of(series):
    measurements = [Measurement(Coordinate(p), None, None, [value]) for p, value in zip(series["ranks"], series["values"])]
    hypothesis = SingleParameterModeler().create_model(measurements).hypothesis
    function = hypothesis.function
    if isinstance(function, ConstantFunction):
        return {"constant": function.constant_coefficient, "coefficient": 0.0, "power": 0.0, "log_power": 0.0}
    (term,) = function.compound_terms
    exponents = {one.term_type: float(one.exponent) for one in term.simple_terms}
    return {"constant": float(function.constant_coefficient), "coefficient": float(term.coefficient),
            "power": exponents.get("polynomial", 0.0), "log_power": exponents.get("logarithm", 0.0)}


def main():
    chance = random.Random(7)
    series = [make_series(chance, number) for number in range(200)]
    for one in series:
        one["model"] = model_of(one)
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write('{"made_by": "tests/peers/extrap_series.py, extrap 4.2.5", "series": [\n')
        file.write(",\n".join(json.dumps(one) for one in series))
        file.write("\n]}\n")


if __name__ == "__main__":
    main()
