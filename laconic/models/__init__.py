"""What every kind of model shares: kinds, model files, compact files, few weight values."""
