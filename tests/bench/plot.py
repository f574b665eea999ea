"""Straight or not: points and the line through the first and the last of them, as SVG."""

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 460, 300, 64, 40, 16, 48
INK, GRID, OURS, PEER = "#333", "#ddd", "#1b6ca8", "#b0562a"


def steps(limit):
    step = 10 ** (len(str(int(limit))) - 1) if limit >= 1 else 0.1
    for factor in (0.2, 0.5, 1, 2, 5):
        if limit / (step * factor) <= 6:
            step *= factor
            break
    values, value = [], 0.0
    while value <= limit * 1.0001:
        values.append(round(value, 6))
        value += step
    return values


def number(value):
    return "%g" % value if value < 1000 else "{:,.0f}".format(value)


def panel(x, title, x_label, y_label, series):
    """series: (name, colour, [(x, y)...])"""
    most_x = max(px for _, _, points in series for px, _ in points)
    most_y = max(py for _, _, points in series for _, py in points) * 1.08
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(px, py):
        return x + LEFT + wide * px / most_x, TOP + high * (1 - py / most_y)

    out = ['<text x="%d" y="18" font-size="13" font-weight="bold" fill="%s">%s</text>' % (x + LEFT, INK, title)]
    for value in steps(most_y):
        _, y = at(0, value)
        out.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>' % (x + LEFT, y, x + LEFT + wide, y, GRID))
        out.append('<text x="%.1f" y="%.1f" text-anchor="end" fill="%s">%s</text>' % (x + LEFT - 6, y + 4, INK, number(value)))
    for value in steps(most_x):
        px, y = at(value, 0)
        out.append('<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%s</text>' % (px, y + 16, INK, number(value)))
    out.append('<text x="%.1f" y="%d" text-anchor="middle" fill="%s">%s</text>' % (x + LEFT + wide / 2, HEIGHT - 12, INK, x_label))
    out.append('<text transform="translate(%d %.1f) rotate(-90)" text-anchor="middle" fill="%s">%s</text>'
               % (x + 16, TOP + high / 2, INK, y_label))
    for row, (name, colour, points) in enumerate(series):
        (ax, ay), (bx, by) = at(*points[0]), at(*points[-1])
        out.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-dasharray="4 3"/>' % (ax, ay, bx, by, colour))
        for point in points:
            cx, cy = at(*point)
            out.append('<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>' % (cx, cy, colour))
        y = TOP + 10 + 16 * row
        out.append('<circle cx="%d" cy="%d" r="4" fill="%s"/>' % (x + LEFT + 14, y, colour))
        out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (x + LEFT + 24, y + 4, INK, name))
    return out


def draw(path, panels):
    """panels: (title, x label, y label, series); the dashed lines join the first and the last point of each."""
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">'
           % (WIDTH * len(panels), HEIGHT),
           '<rect width="100%" height="100%" fill="white"/>']
    for index, one in enumerate(panels):
        out += panel(WIDTH * index, *one)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")
