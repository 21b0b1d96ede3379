<?php

// What this server has run before each of its scripts.

const OWN_FILE = 'own';
