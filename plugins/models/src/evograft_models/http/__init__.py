"""What drivers that speak HTTP share: one deadline a call, a bounded answer, and what each fault means."""
