"""A literal reading of the formulation in plain Python: every batch, every chunk, every length.

It shares no code with the engine. It takes an inline scenario as JSON data and returns the public
result's figures, slowly. Only for small setups.
"""


class Judge:
    def __init__(self, s):  # noqa: PLR0915
        self.s = s
        hw, ad = s["hardware"], s["model"]["adapter"]
        w = s.get("workload") or {}
        self.C = hw["memory_gb"] * 1e9
        measured = w.get("rates") == "measured"
        self.R = hw["bandwidth_gb_per_s"] * 1e9
        self.F = {k: v * 1e12 for k, v in (hw.get("compute_tflop_per_s") or {}).items()}
        if measured:
            self.R = hw["measured_bandwidth_gb_per_s"] * 1e9
            for k, v in (hw.get("measured_compute_tflop_per_s") or {}).items():
                self.F[k] = v * 1e12
        kind = hw.get("kind")
        self.O = w.get("overhead_gb", 1 if kind in ("discrete", "datacenter") else 8) * 1e9
        self.ad = ad
        e = ad["bytes_per_parameter"]
        P = ad["total_parameters_b"] * 1e9
        emb = (ad.get("embedding_parameters_b") or 0) * 1e9
        self.Wres = ad["resident_gb"] * 1e9 if ad.get("resident_gb") is not None else P * e
        E, k = ad.get("routed_experts"), ad.get("experts_per_token")
        if E and k != E:
            Pa = ad["active_parameters_b"] * 1e9
            p = (P - Pa) / (E - k)
            self.fixed = e * (Pa - k * p - emb)
            self.E, self.k, self.p = E, k, e * p
        else:
            self.fixed = e * (P - emb)
            self.E = 0
        self.floor_routing = w.get("routing") == "floor"
        limit = ad.get("max_context_tokens")
        self.limit = limit
        La = w.get("reserved_context_tokens", 100000)
        if w.get("read_context_fraction") is not None:
            La = min(La, limit) if limit else La
            Lr = max(round(w["read_context_fraction"] * La), La - 32768)
        else:
            Lr = w.get("read_context_tokens", 32000)
        if limit:
            La = min(La, limit)
        self.La, self.Lr = La, min(Lr, La)
        self.r = w.get("floor_tokens_per_s", 20)
        self.policy = w.get("cache_policy", "windowed")
        self.combined = w.get("decode_ceiling") == "combined"
        self.forced = w.get("batch")
        sp = s.get("speculation")
        self.g, self.rho = 0, 1.0
        self.dres = self.dsweep = self.dalloc = self.dread = 0.0
        if sp and sp["draft_tokens"]:
            self.g = sp["draft_tokens"]
            if sp.get("emitted_tokens") is not None:
                self.rho = sp["emitted_tokens"]
            else:
                a = sp["acceptance"]
                self.rho = sum(a**i for i in range(self.g + 1))
            d = sp.get("draft")
            if d:
                self.dres, self.dsweep = d["resident_gb"] * 1e9, d["sweep_gb"] * 1e9
                self.dalloc, self.dread = d["cache_alloc_gb"] * 1e9, d["cache_read_gb"] * 1e9
        pf = s.get("prefill") or {}
        default = "bf16_fp32acc"
        if default not in self.F and "fp16_fp32acc" in self.F:
            default = "fp16_fp32acc"
        self.lin = pf.get("linear_mode") or default
        self.att = pf.get("attention_mode") or default
        self.lin = {self.lin: 1.0} if isinstance(self.lin, str) else self.lin
        self.att = {self.att: 1.0} if isinstance(self.att, str) else self.att
        self.pfa = ad.get("prefill") or {}

    def m(self, n):
        if self.floor_routing:
            return self.k
        return self.E * (1 - (1 - self.k / self.E) ** n)

    def W(self, n):
        return self.fixed + (self.p * self.m(n) if self.E else 0)

    def Wactive(self):
        return self.fixed + (self.p * self.k if self.E else 0)

    def Wpf(self, n):
        swept = self.pfa.get("swept_gb")
        if swept is None:
            return self.W(n)
        return self.W(n) * swept * 1e9 / (self.fixed + (self.p * self.E if self.E else 0))

    def layers(self):
        return self.ad["cache"].get("layers")

    def Kalloc(self, L):
        if self.layers() is None:
            return self.ad["cache"]["alloc_gb_per_session"] * 1e9
        t = 0
        for y in self.layers():
            n = L
            if y["kind"] == "state":
                t += y["count"] * y["bytes"]
                continue
            if y["kind"] == "window" and self.policy == "windowed":
                n = min(L, y["window_tokens"])
            t += y["count"] * n * (y["bytes_per_token"] + (y.get("index_bytes_per_token") or 0))
        return t

    def Kread(self, L):
        if self.layers() is None:
            return self.ad["cache"]["read_gb_per_token"] * 1e9
        t = 0
        for y in self.layers():
            if y["kind"] == "state":
                t += y["count"] * y["bytes"]
            elif y["kind"] == "full":
                t += y["count"] * L * y["bytes_per_token"]
            elif y["kind"] == "window":
                t += y["count"] * min(L, y["window_tokens"]) * y["bytes_per_token"]
            else:
                t += y["count"] * (
                    min(L, y["selected_tokens"]) * y["bytes_per_token"]
                    + L * (y.get("index_bytes_per_token") or 0)
                )
        return t

    def kappa(self):
        k = self.pfa.get("cache_write_bytes_per_token")
        if k is not None:
            return k
        if self.layers() is None:
            return None
        return sum(y["count"] * y["bytes_per_token"] for y in self.layers() if y["kind"] != "state")

    def aattn(self, prefix):
        """One new token behind `prefix` cached ones."""
        if self.pfa.get("attention") is None:
            return None
        t = 0
        for y in self.pfa["attention"]:
            ctx = prefix + 1
            if y["kind"] == "state":
                t += y["count"] * y["flop_per_token"]
            elif y["kind"] == "full":
                t += y["count"] * 4 * y["query_width"] * ctx
            elif y["kind"] == "window":
                t += y["count"] * 4 * y["query_width"] * min(ctx, y["window_tokens"])
            else:
                t += y["count"] * (
                    4 * y["query_width"] * min(ctx, y["selected_tokens"])
                    + (y.get("index_flop_per_pair") or 0) * ctx
                )
        return t

    def seconds(self, flop, mode):
        if any(m not in self.F for m in mode):
            return None
        return sum(share * flop / self.F[m] for m, share in mode.items())

    # ---- decode
    def gate(self, K):
        m = round(self.C) - round(self.Wres) - round(self.O) - round(self.dres)
        return m, round(K) + round(self.dalloc)

    def step(self, b):
        mem = (
            self.W(b * (self.g + 1))
            + self.g * self.dsweep
            + b * (self.Kread(self.Lr) + self.g * self.dread)
        ) / self.R
        if self.combined:
            c = self.compute(b)
            if c is not None:
                return max(mem, c)
        return mem

    def compute(self, b):
        P = self.pfa.get("linear_active_parameters_b")
        a = self.aattn(self.Lr)
        if P is None or a is None:
            return None
        n = b * (self.g + 1)
        x, y = self.seconds(n * 2 * P * 1e9, self.lin), self.seconds(n * a, self.att)
        return None if x is None or y is None else x + y

    def per_session(self, b):
        return self.rho / self.step(b)

    def decode(self):
        margin, K = self.gate(self.Kalloc(self.La))
        out = {"resident_margin_gb": margin / 1e9, "memory_power_gb2_per_s": self.C * self.R / 1e18}
        for k in (
            "memory_batch",
            "rate_limited_batch",
            "usable_batch",
            "best_batch",
            "aggregate_tokens_per_s",
            "per_session_tokens_per_s",
            "single_session_tokens_per_s",
            "memory_power_tokens_per_s",
            "large_memory_limit_tokens_per_s",
            "forced",
        ):
            out[k] = None
        rl = self.rate_limited()
        if margin < 0:
            out.update(
                verdict="model does not fit", spare_gb=(margin - K) / 1e9, rate_limited_batch=rl
            )
            return out
        bmem = margin // K
        out["memory_batch"] = bmem
        if self.forced:
            b = self.forced
            r = self.per_session(b)
            out["forced"] = {
                "batch": b,
                "aggregate_tokens_per_s": b * r,
                "per_session_tokens_per_s": r,
                "fits": b <= bmem,
                "clears_floor": r >= self.r,
            }
        if bmem < 1:
            out.update(verdict="no session fits", spare_gb=(margin - K) / 1e9)
            return out
        out["rate_limited_batch"] = rl
        out["usable_batch"] = bmem if rl is None else min(bmem, rl)
        out["single_session_tokens_per_s"] = self.per_session(1)
        Ka = self.Kalloc(self.La)
        out["memory_power_tokens_per_s"] = (
            self.R * (self.C - self.Wres - self.O) / (Ka * self.Wactive())
        )
        out["large_memory_limit_tokens_per_s"] = self.C * self.R / (Ka * self.Wactive())
        best = None
        for b in range(1, bmem + 1):
            r = self.per_session(b)
            if r >= self.r and (best is None or b * r >= best[1] * (1 - 1e-12)):
                best = (b, b * r)
        if best is None:
            out.update(
                verdict="fits, but no batch satisfies the floor", spare_gb=(margin - K) / 1e9
            )
            return out
        b = best[0]
        out.update(
            verdict="serves",
            spare_gb=(margin - b * K) / 1e9,
            best_batch=b,
            aggregate_tokens_per_s=b * self.per_session(b),
            per_session_tokens_per_s=self.per_session(b),
        )
        return out

    def rate_limited(self):
        if self.r == 0:
            return None
        K = self.Kread(self.Lr) + self.g * self.dread
        W = self.Wactive() + self.g * self.dsweep

        def ok(b):
            return self.rho * self.R / (W + b * K) >= self.r

        if not ok(1):
            return 0
        if K == 0:
            return None
        b = max(1, int((self.rho * self.R / self.r - W) / K) - 3)
        while ok(b + 1):
            b += 1
        return b

    # ---- prefill
    def chunks(self, L, c, prefix):
        out, at = [], 0
        while at < L:
            n = min(c, L - at)
            out.append((n, prefix + at))
            at += n
        return out

    def tmem(self, b, L, c, prefix):
        kap = self.kappa()
        if kap is None:
            return None
        if self.layers() is None and len(self.chunks(L, c, prefix)) > 1:
            return None
        Q = 0.0
        for n, at in self.chunks(L, c, prefix):
            Q += self.Wpf(b * n) + b * n * kap
            if at > 0:
                Q += b * self.Kread(at)
        return Q / self.R

    def tcomp(self, b, L, prefix):
        P = self.pfa.get("linear_active_parameters_b")
        if P is None or self.pfa.get("attention") is None:
            return None
        att = sum(self.aattn(prefix + j) for j in range(L))
        x = self.seconds(2 * b * L * P * 1e9, self.lin)
        y = self.seconds(b * att, self.att)
        return None if x is None or y is None else x + y

    def best_prefill(self, L, c, prefix, bmax, budget, forced=None):  # noqa: PLR0917
        """Every batch; the smallest that reaches the largest ceiling."""
        best = None
        for b in [forced] if forced else range(1, bmax + 1):
            tm, tc = self.tmem(b, L, c, prefix), self.tcomp(b, L, prefix)
            t = max(tm, tc)
            if budget is not None and t > budget:
                continue
            T = b * L / t
            if best is None or best[1] * (1 + 1e-9) < T:
                best = (b, T, t)
        return best

    def prefill(self):
        pf = self.s.get("prefill")
        if pf is None:
            return None
        L = pf.get("prompt_tokens") or 8192
        prefix = pf.get("cached_prefix_tokens") or 0
        c = pf.get("chunk_tokens") or L
        budget, forced = pf.get("ttft_budget_s"), pf.get("batch")
        margin, K = self.gate(
            self.Kalloc(self.La if pf.get("cache_growth") != "on_demand" else L + prefix)
        )
        if margin < 0:
            return {"verdict": "model does not fit"}
        if L + prefix > self.La:
            return {"unavailable": True, "tokens_per_s": None}
        bmax = margin // K
        if bmax < 1:
            return {"verdict": "no prompt fits"}
        if forced and forced > bmax:
            return {"verdict": "the batch does not fit"}
        best = self.best_prefill(L, c, prefix, bmax, budget, forced)
        out = {}
        if budget is not None:
            u = self.best_prefill(L, c, prefix, bmax, None, forced)
            out["unrestricted"] = {"batch": u[0], "tokens_per_s": u[1], "time_s": u[2]}
        if best is None:
            return out | {"verdict": "no setting meets the budget", "tokens_per_s": None}
        b = best[0]
        tm, tc = self.tmem(b, L, c, prefix), self.tcomp(b, L, prefix)
        out |= {
            "verdict": "serves",
            "batch": b,
            "tokens_per_s": best[1],
            "time_s": best[2],
            "memory_ceiling_tokens_per_s": b * L / tm,
            "compute_ceiling_tokens_per_s": b * L / tc,
            "bytes_per_token": tm * self.R / (b * L),
            "flop_per_token": 2 * self.pfa["linear_active_parameters_b"] * 1e9
            + sum(self.aattn(prefix + j) for j in range(L)) / L,
        }
        return out

    def range(self, single):
        pf = self.s["prefill"]
        budget, forced = pf.get("ttft_budget_s"), pf.get("batch")
        lo = hi = None
        for L in range(1, self.limit + 1):
            margin, K = self.gate(self.Kalloc(L))
            bmax = margin // K if margin >= 0 else 0
            if bmax < 1 or (forced and not single and forced > bmax):
                continue
            c = pf.get("chunk_tokens") or L
            x = self.best_prefill(L, c, 0, bmax, budget, 1 if single else forced)
            if x is None:
                continue
            if lo is None or x[1] < lo[0]:
                lo = (x[1], L, x[0])
            if hi is None or x[1] > hi[0]:
                hi = (x[1], L, x[0])
        return lo, hi
