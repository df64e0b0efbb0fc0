int  unformatted( ) { return 0; }
