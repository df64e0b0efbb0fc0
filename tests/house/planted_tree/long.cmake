# This comment goes on for longer than a line may, which is 120 columns, and no formatter of ours would ever break it up.
