"""What every kind of model shares: kinds, fit reports, model files, compact files, few weight values."""
