"""Makes a page of tables and pictures from measurements by `kogge bench --json`.

The page is made only from files in its folder: JSON files, notes on them (`h200.txt` on `h200.json`), `rivals.tsv`,
`deep.tsv`, counts that take longer than `kogge bench`, and `several.tsv`, counts on several devices. New JSON files are
copied there. Nothing is written until everything is made. With --check, nothing is written, and Matplotlib is not
needed: the page must be that of its data, and each picture must have all texts of its data.
"""

import argparse
import io
import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

POSITIONS = {"startpos": "start position", "kiwipete": "Kiwipete", "pos3": "position 3", "pos4": "position 4",
             "pos5": "position 5", "pos6": "position 6"}
# Classes of devices that are compared: the name of their counts in `rivals.tsv`, and the title and file of their picture.
CLASSES = {"GPU": ("raw", "Every leaf counted, on GPUs", "raw-gpu.svg"),
           "cores": (None, "Every leaf counted, on all cores of a CPU", "raw-cpu.svg"),
           "core": ("core", "Every leaf counted, on one core of a CPU", "raw-core.svg")}
COLOURS = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#0b7285", "#7d4e00", "#57606a", "#cf222e", "#4d7c0f"]
HEAD = """# Measurements

Made by `cargo xtask report` from the JSON files in this folder, which `kogge bench --json` printed, and from
[rivals.tsv](rivals.tsv), what other programs reach. Every count of kogge's that was timed was compared with the published
one. A time is the middle one of the three least. Raw: one call of the backend, every leaf counted anew. Merged: as `kogge perft` counts, each position
of a ply once.
"""


# Data.

def read(file):
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"error: {file} could not be read: {error}.")


def measurements(folder, new):
    """Returns the texts of all measurements, existing and new, by file name."""
    texts = {}
    for file in sorted(folder.glob("*.json")) + new:
        if file.suffix != ".json":
            sys.exit(f"error: {file} is not accepted: the name of a measurement ends in .json.")
        if texts.setdefault(file.name, text := read(file)) != text:
            sys.exit(f"error: {file} and another measurement have the same name and differ; rename one, or remove it.")
    return dict(sorted(texts.items()))


def bench(name, text):
    """Reads an answer of `kogge bench --json`, or the answer in the field `bench` of a bundle's result."""
    try:
        found = json.loads(text)
        found = found.get("bench", found)
        if found["command"] != "bench":
            raise ValueError(f"it is an answer of kogge {found['command']}")
        found |= {"name": name.removesuffix(".json"), "packing": found["packing"]}
        for row in found["rows"]:
            subject = found["subjects"][row["subject"]]
            row["seconds_by_depth"] = {step["depth"]: step["seconds"] for step in row["climb"]}
            row["seconds_by_depth"][row["depth"]] = row["seconds"]
            row["leaves"] = {step["depth"]: step["nodes"] for step in row["climb"]}
            subject.setdefault("rows", {})[row["position"], row["deduplicated"]] = row
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        sys.exit(f"error: {name} is not an answer of kogge bench --json: {error!r}.")
    return found


def table_of(file, fields):
    """Reads the lines of a table as dictionaries. A number may be missing: `-`."""
    rows = []
    for number, line in enumerate(read(file).splitlines(), 1):
        cells = line.split("\t")
        if line.startswith("#"):
            continue
        try:
            row = dict(zip(fields, cells, strict=True))
            row |= {name: None if row[name] == "-" else float(row[name]) for name in ("seconds", "rate") if name in row}
            row |= {name: int(row[name]) for name in ("depth", "devices") if name in row}
            row["label"] = ", ".join(row[name] for name in ("program", "device") if name in row)
            has_source = row.get("source", "https://").startswith("https://")
            if not has_source or row.get("counting", "raw") not in ("raw", "core", "hashed"):
                raise ValueError
        except ValueError:
            sys.exit(f"error: Line {number} of {file} does not have the fields that the head of the file describes.")
        rows.append(row)
    return rows


def label(subject):
    variant = f", {subject['variant']}" if subject["backend"] == "cpu" else ""
    return f"{subject['backend']}, {subject['device'].removeprefix('CPU, ')}{variant}"


def class_of(subject):
    """Returns the class of a device; None for what no picture shows: emulators, and the mailbox, a reference."""
    if subject["kind"] in ("GPU", "integrated GPU"):
        return "GPU"
    if subject["backend"] == "mailbox" or subject["kind"] != "CPU":
        return None
    return "core" if subject["device"] == "CPU, 1 thread" else "cores"


def subjects(benches, wanted):
    """Returns all subjects of a class with their labels."""
    found = []
    for measured in benches:
        machine = f" ({measured['name']})" if len(benches) > 1 else ""
        of_class = (subject for subject in measured["subjects"] if class_of(subject) == wanted)
        found += [(subject, label(subject) + machine) for subject in of_class]
    return found


def magnitude(number):
    """Formats a number with three digits and a prefix: `2.06 T`."""
    scales = {1e18: " E", 1e15: " P", 1e12: " T", 1e9: " G", 1e6: " M", 1e3: " k", 1: ""}
    scale = next((scale for scale in scales if number >= scale), 1)
    number /= scale
    return f"{number:.{2 - (number >= 10) - (number >= 100)}f}{scales[scale]}"


# Pictures, before they are drawn: bars, by label and group, are pairs of a number and a text; curves are lists of points.

def rates(benches, rivals, counting, wanted, title, file):
    """Compares leaves per second by position, of a class of devices and of other programs on such devices."""
    bars = {}
    for subject, name in subjects(benches, wanted):
        rows = {position: subject["rows"].get((position, False)) for position in POSITIONS}
        bars[name] = {POSITIONS[position]: (row["per_second"], f"{magnitude(row['per_second'])} (depth {row['depth']})")
                      for position, row in rows.items() if row}
    if not bars:
        return []
    rivals = [rival for rival in rivals if rival["counting"] == counting]
    for rival in rivals:
        if rate := rival["rate"]:
            wrong = f"; {rival['note']}" if rival["note"] else ""
            text = f"{magnitude(rate)} (depth {rival['depth']}{wrong})"
            bars.setdefault(rival["label"], {}).setdefault(POSITIONS[rival["position"]], (rate, text))
    caption = f"Leaves per second, every leaf counted, no hash table.{sources(rivals)}"
    return [{"file": file, "title": title, "unit": "leaves per second", "bars": bars, "caption": caption}]


def sources(rivals):
    """Lists where the numbers of other programs come from."""
    said = {}
    for rival in rivals:
        link, _, how = rival["source"].partition(", ")
        said[f"* {rival['label']}: [{link}]({link}), {how}."] = None
    return " Other programs:\n\n" + "\n".join(said) if said else ""


def start_curves(benches, points):
    """Returns the curves of the start position by label and style."""
    curves = {}
    for wanted in CLASSES:
        for subject, name in subjects(benches, wanted):
            for merged in (False, True):
                if row := subject["rows"].get(("startpos", merged)):
                    curves[name, "--" if merged else "-"] = points(row)
    return curves


def times(benches, rivals, deep):
    """Compares the time by depth, if there is more than emulators."""
    curves = start_curves(benches, lambda row: dict(row["seconds_by_depth"]))
    for row in deep:
        for (name, style), points in curves.items():
            if style == "--" and name.startswith(row["label"]) and row["depth"] > max(points):
                points[row["depth"]] = row["seconds"]
                break
    if not curves:
        return []
    has_gpu = any("opencl" in name for name, _ in curves)
    rivals = [rival for rival in rivals if rival["counting"] == "hashed" and has_gpu]
    for rival in rivals:
        curves.setdefault((f"{rival['label']}, hash tables", "D"), {})[rival["depth"]] = rival["seconds"]
    long = " Times of more than a few seconds are from [deep.tsv](deep.tsv)." if deep else ""
    return [{"file": "time.svg", "title": "Time to count the start position", "unit": "time", "curves": curves,
             "caption": f"Time to perft(n) of the start position.{long}{sources(rivals)}"}]


def growth(benches):
    """Shows the cost of a leaf by depth, if there is more than emulators."""
    curves = start_curves(benches, lambda row: {depth: seconds / row["leaves"].get(depth, 1)
                                                for depth, seconds in row["seconds_by_depth"].items()})
    caption = ("What a leaf costs by depth, start position. Counting every leaf, the cost falls until a device is busy, and then "
               "stays; merging, it falls with every ply.")
    return [{"file": "growth.svg", "title": "Cost of a leaf of the start position", "unit": "time for each leaf",
             "curves": curves, "caption": caption}] if curves else []


def several(rows):
    """Compares several devices with one, by depth."""
    alone = {(row["label"], row["depth"]): row["seconds"] for row in rows if row["devices"] == 1}
    bars = {}
    for row in sorted(rows, key=lambda row: (row["depth"], row["devices"])):
        if (row["label"], row["depth"]) not in alone:
            sys.exit(f"error: several.tsv has no row of depth {row['depth']} on one {row['label']}.")
        factor = alone[row["label"], row["depth"]] / row["seconds"]
        group = f"depth {row['depth']}, {row['devices']} GPU{'s' * (row['devices'] > 1)}"
        bars.setdefault(row["label"], {})[group] = (factor, f"{factor:.2f} ({row['seconds']:.4g} s)")
    caption = "Several equal GPUs of one machine that share a merged count of the start position. The times are from [several.tsv](several.tsv)."
    return [{"file": "several.svg", "title": "Several GPUs", "unit": "times as fast as one GPU", "bars": bars,
             "caption": caption}] if bars else []


def packing(benches):
    """Compares formats by size and by cost, on the first machine."""
    for measured in benches:
        if rows := measured["packing"]:
            size = {"size": {row["format"]: (row["bytes"], f"{row['bytes']} bytes") for row in rows}}
            cost = {f"{verb}ing": {row["format"]: (row[verb], f"{row[verb]:.1f} ns") for row in rows}
                    for verb in ("pack", "unpack")}
            on = measured["processor"] or measured["system"]
            return [{"file": "packing-size.svg", "title": "Packed positions: size", "unit": "bytes for each position",
                     "bars": size, "caption": "Bytes of a packed position."},
                    {"file": "packing-cost.svg", "title": "Packed positions: cost", "unit": "nanoseconds for each position",
                     "bars": cost,
                     "caption": f"Nanoseconds to pack and to unpack a position, one by one, on one thread ({on})."}]
    return []


def texts(picture):
    """Returns the texts that a picture must have."""
    bars = picture.get("bars", {})
    values = [text for groups in bars.values() for _, text in groups.values()]
    return [picture["title"], picture["unit"], *bars, *(name for name, _ in picture.get("curves", {})), *values]


# The page.

def page(benches, pictures):
    text = HEAD
    for measured in benches:
        if measured["note"]:
            name = measured["name"]
            text += f"\nNot all rows of [{name}](#{name}) can be compared; a note there says which.\n"
    for picture in pictures:
        text += f"\n![{picture['title']}]({picture['file']})\n\n{picture['caption']}\n"
    return text + "".join(map(tables, benches))


def tables(measured):
    """Returns the table of all rates of a machine."""
    cores = "1 core" if measured["cores"] == 1 else f"{measured['cores']} cores"
    load = "" if measured["load"] is None else f", a load of {measured['load']:.2f} before"
    name = measured["name"]
    text = (
        f"\n## {name}\n\n{measured['note']}kogge {measured['kogge']}; {measured['processor'] or 'unknown CPU'}, {cores}{load}; "
        f"{measured['system']}. [{name}.json]({name}.json), measured in {measured['seconds']:.0f} s, {measured['repetitions']} "
        "times or more each. Leaves per second, with the depth and the spread of the three least times (as a share of the middle "
        "one); `!` marks spreads of more than a tenth.\n\n")
    devices = measured["subjects"]
    for index, subject in enumerate(devices, 1):
        text += f"{index}. {subject['backend']}: {subject['device']}, {subject['driver']}; {subject['variant']}\n"
    numbers = "".join(f" {index} |" for index in range(1, len(devices) + 1))
    text += f"\n| position | counted |{numbers}\n|---|---|{'---:|' * len(devices)}\n"
    for position, title in POSITIONS.items():
        for merged, how in ((False, "raw"), (True, "merged")):
            cells = "".join(cell(subject["rows"].get((position, merged))) for subject in devices)
            text += f"| {title} | {how} |{cells}\n"
    return text


def cell(row):
    if not row:
        return " - |"
    return f" {magnitude(row['per_second'])} ({row['depth']}; {100 * row['spread']:.1f} %{' !' if row['noisy'] else ''}) |"


# Drawing.

def draw(picture):
    """Returns a picture as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "kogge", "font.size": 9, "axes.spines.top": False,
                            "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True, "grid.color": "#d8dee4"}
    from matplotlib import pyplot
    from matplotlib.ticker import EngFormatter

    labels = list(dict.fromkeys(name for name, *_ in picture.get("curves", {}))) or list(picture["bars"])
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(labels)}
    count = sum(map(len, picture.get("bars", {}).values()))
    height = 0.17 * count + 0.5 if count else 4.2
    figure, axes = pyplot.subplots(figsize=(8.4, height + 0.2 * len(labels) + 0.9), layout="constrained")
    if count:
        draw_bars(axes, picture, colours)
        axes.set_xlabel(picture["unit"], loc="left")
        if any(value > 1e4 for groups in picture["bars"].values() for value, _ in groups.values()):
            axes.xaxis.set_major_formatter(EngFormatter())
    else:
        for (name, style), points in picture["curves"].items():
            shape = {"ls": "", "marker": style} if style == "D" else {"ls": style, "marker": "o", "markersize": 4}
            known = "_" if style == "--" else name
            axes.plot(list(points), list(points.values()), color=colours[name], label=known, **shape)
        deepest = max(map(max, picture["curves"].values()))
        axes.set(yscale="log", xlabel="depth, plies", xticks=range(1, deepest + 1))
        styles = "solid: every leaf counted, dashed: equal positions merged"
        axes.set_title(f"{picture['unit']}; {styles}", loc="left", fontsize="medium")
        axes.yaxis.set_major_formatter(EngFormatter("s"))
    figure.legend(loc="outside upper left", frameon=False, title=picture["title"], alignment="left",
                  title_fontproperties={"weight": "bold", "size": 11})
    figure.savefig(drawn := io.StringIO(), metadata={"Date": None})
    return drawn.getvalue()


def draw_bars(axes, picture, colours):
    """Draws bars in groups, the first at the top, each with its text beside it."""
    y, ticks = 0, {}
    groups = dict.fromkeys(group for values in picture["bars"].values() for group in values)
    for group in groups:
        first = y
        for name, values in picture["bars"].items():
            if group in values:
                known = "_" if name in axes.get_legend_handles_labels()[1] else name
                bar = axes.barh(y, values[group][0], color=colours[name], label=known)
                axes.bar_label(bar, [values[group][1]], padding=3)
                y += 1
        ticks[(first + y - 1) / 2] = group
        y += 1
    axes.set_yticks(list(ticks), ticks.values())
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_ylim(y - 1, -1)
    axes.margins(x=0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", type=Path)
    parser.add_argument("new", type=Path, nargs="*")
    arguments = parser.parse_args()
    folder = arguments.folder
    files = measurements(folder, arguments.new)
    benches = [bench(name, text) for name, text in files.items()]
    if not benches:
        sys.exit(f"error: There is no measurement in {folder}; give files of kogge bench --json.")
    notes = {file.stem: f"{read(file).strip()}\n\n" for file in folder.glob("*.txt")}
    for measured in benches:
        measured["note"] = notes.pop(measured["name"], "")
    for name in notes:
        sys.exit(f"error: {folder / name}.txt is a note on a missing measurement.")
    fields = "program device counting position depth seconds rate note source".split()
    rivals = table_of(folder / "rivals.tsv", fields)
    deep = table_of(folder / "deep.tsv", ["program", "device", "depth", "seconds"])
    shared = table_of(folder / "several.tsv", ["device", "depth", "devices", "seconds"])
    pictures = []
    for wanted, (counting, title, file) in CLASSES.items():
        pictures += rates(benches, rivals, counting, wanted, title, file)
    pictures += times(benches, rivals, deep) + growth(benches) + several(shared) + packing(benches)
    text = page(benches, pictures)
    if arguments.check:
        if text != read(folder / "README.md"):
            sys.exit(f"error: {folder / 'README.md'} is not that of its data; run `cargo xtask report`.")
        for picture in pictures:
            file = folder / picture["file"]
            for missing in (words for words in texts(picture) if escape(words) not in read(file)):
                sys.exit(f"error: {file} lacks `{missing}`; run `cargo xtask report`.")
        return
    made = {**files, "README.md": text, **{picture["file"]: draw(picture) for picture in pictures}}
    for old in set(folder.glob("*.svg")) - {folder / name for name in made}:
        old.unlink()
    for name, content in made.items():
        (folder / name).write_text(content, encoding="utf-8")
    print(f"{len(pictures) + 1} files in {folder}")


main()
