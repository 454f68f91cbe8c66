"""Models inside of web pages: a reader of model files in JavaScript, and pages built from it."""
