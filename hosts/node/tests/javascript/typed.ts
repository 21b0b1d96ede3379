exports.echoText = (text) => text;
