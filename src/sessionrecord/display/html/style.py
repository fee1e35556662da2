"""The style of every fragment: one sheet, under one class, for light and for dark."""

from __future__ import annotations

import re
from typing import Final

from sessionrecord.display.html.build import ROOT

__all__ = ["PAGE_SHEET", "SHEET"]

_LIGHT: Final = {
    "bg": "#ffffff",
    "panel": "#f6f8fa",
    "plus-bg": "#dafbe1",
    "minus-bg": "#ffebe9",
    "fg": "#1f2328",
    "dim": "#57606a",
    "user": "#116329",
    "assistant": "#0550ae",
    "call": "#6639ba",
    "result": "#1b5e85",
    "mark": "#7d4e00",
    "error": "#b3141d",
    "line": "#d0d7de",
}
_DARK: Final = {
    "bg": "#0d1117",
    "panel": "#161b22",
    "plus-bg": "#12311d",
    "minus-bg": "#3c1618",
    "fg": "#e6edf3",
    "dim": "#a3acb8",
    "user": "#56d364",
    "assistant": "#79c0ff",
    "call": "#d2a8ff",
    "result": "#7ee0f2",
    "mark": "#e3b341",
    "error": "#ff9b93",
    "line": "#3d444d",
}
# what hosts with a scheme of their own say of it: Jupyter, VS Code, Colab
_DARK_HOSTS: Final = (
    '[data-jp-theme-light="false"]',
    "body.vscode-dark",
    'body[data-vscode-theme-kind="vscode-dark"]',
    'body[data-vscode-theme-kind="vscode-high-contrast"]',
    'html[theme="dark"]',
)
_LIGHT_HOSTS: Final = (
    '[data-jp-theme-light="true"]',
    "body.vscode-light",
    'body[data-vscode-theme-kind="vscode-light"]',
    'body[data-vscode-theme-kind="vscode-high-contrast-light"]',
    'html[theme="light"]',
)

# `&` stands for the root, three times over, so that the rules of a host for tables and lists give way
_RULES: Final = """
&{color:var(--fg);background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:10px 14px;margin:4px 0;
font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere;text-align:start}
& *{box-sizing:border-box}
& h1{font-size:1.3em;margin:0 0 6px;font-weight:600;color:inherit}
& h2{font-size:1em;margin:12px 0 4px;font-weight:600;color:inherit}
& .-dim{color:var(--dim);font-size:.9em}
& .-more{color:var(--dim);font-size:.9em;font-style:italic;margin:4px 0}
& code,& .-mono{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em;color:inherit;background:none;padding:0}
& .-text{white-space:pre-wrap;unicode-bidi:plaintext;margin:2px 0}
& .-mono{background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:6px 8px}
& .-text span{white-space:inherit}
& .-hidden{color:var(--error);border:1px dotted currentColor;border-radius:3px;padding:0 2px;font:.8em ui-monospace,"DejaVu Sans Mono",monospace;
unicode-bidi:isolate;white-space:nowrap}
& .-plus{background:var(--plus-bg);display:block}
& .-minus{background:var(--minus-bg);display:block}
& .-same{display:block}
& .-kind{font-weight:600}
& .-user{color:var(--user)}
& .-assistant{color:var(--assistant)}
& .-call{color:var(--call)}
& .-result{color:var(--result)}
& .-mark{color:var(--mark)}
& .-error{color:var(--error)}
& .-good{color:var(--user)}
& .-warning{color:var(--mark)}
& .-note{color:var(--dim)}
& .-other{color:var(--fg)}
& .-tag{border:1px solid currentColor;border-radius:9px;padding:0 7px;font-size:.82em;white-space:normal;overflow-wrap:break-word;
display:inline-block;line-height:1.45}
& details{margin:2px 0;border:0;padding:0;background:none}
& summary{cursor:pointer;list-style:revert;display:list-item;padding:2px 0;font-weight:400;color:inherit}
& summary:focus-visible{outline:2px solid var(--assistant);outline-offset:1px}
& .-entry{border-top:1px solid var(--line);padding:4px 0;margin:0}
& .-body{margin:2px 0 6px 18px}
& .-card{margin:2px 0}
& .-card>.-body{margin-left:0}
& .-line{padding:2px 0}
& .-block{margin:4px 0}
& .-gap{border-top:1px dashed var(--line);color:var(--dim);padding:6px 0 6px 18px;font-style:italic}
& .-scroll{overflow-x:auto;margin:4px 0}
& table{border-collapse:collapse;border:0;margin:0;font-size:.95em;color:inherit;background:none;display:table;width:auto;min-width:min(20em,100%)}
& caption{text-align:start;font-weight:600;padding:8px 0 2px;color:inherit;caption-side:top}
& tr{background:none;border:0}
& th,& td{text-align:start;vertical-align:top;padding:2px 14px 2px 0;border:0;background:none;color:inherit;max-width:60em;white-space:normal}
& th{font-weight:600}
& .-facts th{color:var(--dim);font-weight:400;min-width:7em}
& .-facts{min-width:0}
& tbody th{overflow-wrap:break-word}
& thead th{color:var(--dim);font-weight:400;border-bottom:1px solid var(--line);white-space:nowrap}
& .-right{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap;overflow-wrap:normal}
& img{max-width:100%;max-height:480px;height:auto;margin:4px 0;border:1px solid var(--line);background:var(--panel)}
& a{color:var(--assistant);text-decoration:underline}
"""


def _colours(colours: dict[str, str]) -> str:
    return "".join(f"--{ROOT}-{name}:{colour};" for name, colour in colours.items())


def _sheet() -> str:
    root, dark, light = f".{ROOT}", _colours(_DARK), _colours(_LIGHT)
    rules = _RULES.replace(" .-", f" .{ROOT}-").replace(">.-", f">.{ROOT}-").replace("var(--", f"var(--{ROOT}-")
    rules = re.sub("&(?=[ {])", root * 3, rules.replace("\n", ""))
    return (
        f"{root}{{{light}color-scheme:light}}"
        f"@media (prefers-color-scheme:dark){{{root}{{{dark}color-scheme:dark}}}}"
        f"{','.join(f'{host} {root}' for host in _LIGHT_HOSTS)}{{{light}color-scheme:light}}"
        f"{','.join(f'{host} {root}' for host in _DARK_HOSTS)}{{{dark}color-scheme:dark}}"
        f"{rules}"
    )


SHEET: Final = _sheet()
"""The style sheet, as it stands in every fragment."""
PAGE_SHEET: Final = (
    "html{color-scheme:light dark}body{margin:0;padding:12px;background:#ffffff}main{max-width:76rem;margin:0 auto}"
    "@media (prefers-color-scheme:dark){body{background:#0d1117}}"
)
"""What a page of its own has besides."""
