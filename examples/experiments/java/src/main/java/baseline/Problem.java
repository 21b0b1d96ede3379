package baseline;

/** What is wrong with a body, and where. */
record Problem(String path, String message) {}
