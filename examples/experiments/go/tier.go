package main

import rust "tierup.local/experiments"

// bind takes the function from where TIERUP_TIER says.
func bind() (*rust.Binding, error) {
	return rust.Bind(rust.Options{Baseline: &rust.Functions{CreateExperiment: ownExperiment}})
}

// ownExperiment is tier 0: the function as it was before there was any Rust.
func ownExperiment(body []byte, fingerprintAt *uint64) (rust.Outcome, error) {
	var seconds *int64
	if fingerprintAt != nil {
		signed := int64(*fingerprintAt)
		seconds = &signed
	}
	answer, status := createExperiment(body, seconds)
	switch status {
	case 200:
		return rust.OutcomeValid{Value: string(answer)}, nil
	case 422:
		return rust.OutcomeInvalid{Value: string(answer)}, nil
	default:
		return rust.OutcomeMalformed{Value: string(answer)}, nil
	}
}

// answerOf is the JSON and the status that an outcome is answered with.
func answerOf(outcome rust.Outcome) (string, int) {
	switch outcome := outcome.(type) {
	case rust.OutcomeValid:
		return outcome.Value, 200
	case rust.OutcomeInvalid:
		return outcome.Value, 422
	case rust.OutcomeMalformed:
		return outcome.Value, 400
	}
	panic("an outcome that the function does not know")
}
