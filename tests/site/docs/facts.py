from course_build.ledger import claim, fact, source

data = source("docs/data.json", kind="constructed")


@fact("toy.norms", title="归一化的参数", unit="个", how="({L} × 2 + 1) × {d}")
def norms(L=data.at("/layers"), d=data.at("/width")):
    return (L * 2 + 1) * d


claim("toy.c.many", "toy.norms > 0", title="参数不少")
