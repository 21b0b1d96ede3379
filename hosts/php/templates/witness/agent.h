// The process, as tierup reaches it: a thread that connects to tierup's socket and does what it says, `start` and `stop FILE`.
//
// Made by tierup for one run.

#ifndef TIERUP_AGENT_H
#define TIERUP_AGENT_H

// Connects this process, unless that was tried before, and each that is forked from it.
void agent_connect(void);

// Once, before any process is connected.
void agent_prepare(void);

#endif
