// The agent in a process: a thread that connects to tierup's socket and obeys the commands `start` and `stop FILE`.
//
// Made by tierup for one run.

#ifndef TIERUP_AGENT_H
#define TIERUP_AGENT_H

// Connects this process and each process that is forked from it, unless that was tried before.
void agent_connect(void);

// Must be called once, before any process is connected.
void agent_prepare(void);

#endif
