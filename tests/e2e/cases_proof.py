"""The proof after an installation: what it says of the sample, in the result, the log and the report."""

from machine import TREE, Machine


def case_proof_sample(t):
    """all three stages run; the sample is computed on the CPU and never called a GPU"""
    with Machine(t) as m:
        report = "C:\\e2e\\report.html"
        m.wine.make("C:\\e2e")
        code, result, text = m.install("/report:" + report)
        t.equal(code, 0, "install: " + text[-400:])
        proof = result["proof"]
        t.check(proof["files"].startswith("passed: "), proof["files"])
        t.check(proof["loading"].startswith("passed: 7 parts loaded from " + TREE), proof["loading"])
        t.check(proof["gpu"].startswith("skipped: sample, computed on the CPU; no GPU was used"), proof["gpu"])
        t.equal(proof["verdicts"], {"loading": "loaded", "gpu": "sample"}, "verdicts")
        t.equal((proof["machine"]["cudnn"], proof["machine"]["runtime"]), (8003, 10010), "versions")
        right = [call for call in proof["calls"] if call["outcome"] == "right"]
        t.check(len(right) >= 20, "computations: %d" % len(right))
        t.equal({call["algorithm"] for call in right if call["operation"] == "convolution-forward"},
                {"IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM"}, "algorithms of the sample")
        for call in right:
            t.check(0 <= float(call["error"]) < float(call["limit"]), "%(shape)s %(algorithm)s: error %(error)s" % call)
        t.equal({call["outcome"] for call in proof["calls"]}, {"right", "unsupported", "lacking"}, "outcomes")
        page, log = m.wine.text(report), m.wine.text(result["log"])
        for word in ("<svg", "GEMM", "first call of an algorithm", "no fault", "Sample device (the CPU)"):
            t.check(word in page, "the report has " + word)
        t.check("proof.call" in log and "sample, computed on the CPU" in log, "the log has every computation")
        for text in (page, log):
            t.check("computes right on" not in text, "nothing says that a GPU works")
