// The bounds of a run of the tests; see TestRun.c.
