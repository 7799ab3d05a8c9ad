# What no two clusters have in common.
s/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/UID/g
s/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/TIME/g
s/[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} 20[0-9]{2} [0-9:]{8} [+-][0-9]{4}/DATE/g
s/("?(resourceVersion|ResourceVersion)"?|Resource Version):( *)"?[0-9]+"?/\1:\3VERSION/g
s/containerd:..[0-9a-f]{64}/containerd:ID/g
s/[^ "]*\/(LIVE|MERGED)-[0-9]+/\1/g
s/[^ "]*\/kubectl-edit-[0-9]+/kubectl-edit-N/
s/(resource version to be [0-9]+, was )[0-9]+/\1VERSION/
s/20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:.]+ [+-][0-9]{4}/DATE/g
s/\b([EIW])[0-9]{4} [0-9:.]+ +[0-9]+ ([a-z_]+\.go:)/\1DATE \2/
s/127\.0\.0\.1:[0-9]+/SERVER/g
s/\b10\.[0-9]+\.[0-9]+\.[0-9]+\b/ADDRESS/g
s/\b172\.16\.0\.[0-9]+\b/ADDRESS/g
s/(nodePort"?: )3[0-2][0-9]{3}\b/\1NODEPORT/g
s/\b3[0-2][0-9]{3}\/TCP/NODEPORT\/TCP/g
# Ends of names that the server makes up; those that are hashes are the same.
s/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/-XXXXX/g
# Ages, and which of the equal nodes it was.
s/\b([0-9]{1,2}m([0-9]+s)?|[0-9]+s)\b/AGE/g
s/\bnode-[0-9]\b/node-N/g
# Columns are as wide as what is in them.
s/([^ ])  +/\1  /g
s/  +$//
# What the embedded server says in words of its own.
s/(cannot be handled as a [A-Za-z]+: ).*/\1REASON/
s/(label selector ".*", field selector ".*": ).*/\1REASON/
