"""What a person likes: ratings in a file, predictors that learn from few of them, and what to show next."""
