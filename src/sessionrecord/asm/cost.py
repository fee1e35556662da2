"""What a run cost: sums in decimal, so that ten times 0.1 is 1."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, Final

from sessionrecord import ijson
from sessionrecord.asm.payloads import CostUpdatePayload

__all__ = ["Cost"]

# every digit of the sum of the largest and the smallest double
_EXACT: Final = Context(prec=1400, Emax=MAX_EMAX, Emin=MIN_EMIN)

# no JSON number is larger, and a state must be writable
_LARGEST: Final = Decimal(repr(sys.float_info.max))


@dataclass(frozen=True, slots=True)
class Cost:
    """Totals over the `cost_update` events of a run."""

    input_tokens: int = 0
    """Tokens read."""
    output_tokens: int = 0
    """Tokens written."""
    cost_usd: Decimal = Decimal(0)
    """Cost in US dollars: the exact sum of what was reported, or the largest double where the sum is larger."""

    def plus(self, update: CostUpdatePayload) -> Cost:
        """The totals with an update added."""
        return Cost(
            self.input_tokens + update.input_tokens,
            self.output_tokens + update.output_tokens,
            min(_EXACT.add(self.cost_usd, to_decimal(update.cost_usd)), _LARGEST),
        )

    def to_wire(self) -> dict[str, Any]:
        """The totals as a JSON object; the cost is a number with all its digits."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": ijson.loads(ijson.dumps(self.cost_usd)),
        }


def to_decimal(amount: int | float | Decimal) -> Decimal:
    """The decimal that a number's JSON text says."""
    return Decimal(repr(amount)) if isinstance(amount, float) else Decimal(amount)
