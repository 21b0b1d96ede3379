<?php

// The server runs this file before each of its scripts.

const OWN_FILE = 'own';
